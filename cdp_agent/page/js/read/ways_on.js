// What says, in a page that is read as data, that there is more of its rows: controls of pagers, buttons that load
// more, boxes of which only a part is drawn, and the places of items in their set. page/data/more_rows.py decides which
// rows they are about. The attributes:
//   way=page (it says "next page")|next|arrow (a sign alone)|more|NUMBER (of a page) · now=NUMBER (the shown page)
//   box=part (it scrolls, and most of it is empty)|whole · id, of these and ways · pos, of (aria-posinset, -setsize)

const WAY_PAGE =
  /^(?:(?:go to (?:the )?)?next (?:page|results page)|nächste seite|page suivante|página siguiente|siguiente página|pagina successiva|próxima página|página seguinte|volgende pagina|следующая страница|następna strona|nästa sida|neste side|næste side|seuraava sivu|sonraki sayfa|下一页|下一頁|次のページ|다음 페이지|الصفحة التالية|trang sau)(?:, .*)?$/iu;
const WAY_NEXT =
  /^(?:next(?: \d+)?(?: (?:results|rows|items|entries|records))?|older(?: posts| entries)?|weiter|nächste|vor|suivante?s?|siguientes?|successiv[aio]|seguinte|próxim[ao]s?|volgende|следующ(?:ая|ие)|далее|вперёд|次へ|下页|다음|następn[ay]|dalej|nästa|neste|næste|seuraava|další|sonraki|التالي|הבא|tiếp|berikutnya)$/iu;
const WAY_MORE =
  /^(?:(?:load|show|see|view|get|fetch|display) (?:\d+ )?more(?! (?:detail|info|about|option|filter|setting))(?: \p{L}+){0,2}|more(?: results| items| rows| posts| comments)?|(?:mehr|weitere)(?: \p{L}+)? (?:laden|anzeigen)|(?:afficher|charger|voir) (?:plus|davantage)(?: de? ?['’]?\p{L}+)?|(?:cargar|mostrar|ver) más(?: \p{L}+)?|(?:carregar|mostrar|ver) mais(?: \p{L}+)?|(?:carica|mostra|vedi) (?:altr[aioe]|di più)(?: \p{L}+)?|(?:meer \p{L}+ )?(?:meer )?(?:laden|tonen)|(?:laad|toon|bekijk) meer|(?:загрузить|показать) ещё|(?:załaduj|pokaż|zobacz) więcej|(?:visa|ladda) fler|(?:vis|last inn|indlæs) flere|näytä lisää|daha fazla göster|加载更多|查看更多|載入更多|もっと見る|さらに表示|더 ?보기)$/iu;
const WAY_ARROW = /^(?:[›»>→❯⟩▶⇒]|chevron_right|navigate_next|arrow_forward)$/u;
const AROUND_LABEL = /^[\s«‹<+…↓▼]+(?=\p{L})|(?<=[\p{L}\d])[\s›»>→❯⟩▶…↓▼.]+$/gu;
const PAGE_NUMBER = /^\d{1,5}$/;
const LONGEST_WAY = 60; // characters
const SHOWN_NOW = /(?:^|[\s_-])(?:current|active|selected)(?:\s|$)/i;
const CLASS_NEXT = /(?:^|[\s_-])next(?:$|[\s_-])/i;
const CLASS_WAY = /(?:^|[\s_-])(?:next|(?:load|show|view|see)[-_]?more)(?:$|[\s_-])/i;
const IS_DISABLED = /(?:^|[\s_-])disabled(?:\s|$)/i;
const ALWAYS_CONTROLS = new Set(['A', 'BUTTON', 'INPUT']);
const hasAttributes_ = Element.prototype.hasAttributes;
const NO_BOXES = new Set(['A', 'SPAN', 'TD', 'TH', 'TR', 'LI', 'P', 'B', 'I', 'BUTTON', 'LABEL', 'SMALL', 'STRONG']);
const MOST_DRAWN = 2_000; // elements: a box with more of them draws them all

/** The attributes that an element has for this, in XML. */
function wayAttributes(element, tag) {
  if (NO_BOXES.has(tag) && !ALWAYS_CONTROLS.has(tag) && !hasAttributes_.call(element)) return '';
  const classes = attr(element, 'class') ?? '';
  const way = isWayControl(element, tag, classes) ? wayOf(element, classes) : '';
  const isNow = SHOWN_NOW.test(classes) || /^(?:page|true)$/.test(attr(element, 'aria-current') ?? '');
  const number = isNow ? textContent(element).trim() : '';
  const box = NO_BOXES.has(tag) ? '' : boxAttributes(element);
  return (
    (way || box ? ` id="${idOf(element)}"` : '') +
    (way ? ` way="${way}"` : '') +
    (PAGE_NUMBER.test(number) ? ` now="${number}"` : '') +
    box +
    countAttr(element, 'aria-posinset', 'pos') +
    countAttr(element, 'aria-setsize', 'of')
  );
}

const isWayControl = (element, tag, classes) =>
  ALWAYS_CONTROLS.has(tag) ||
  hasAttr(element, 'tabindex') ||
  /^(?:button|link)$/i.test(attr(element, 'role') ?? '') ||
  CLASS_WAY.test(classes);

/** Where a control leads by what it says; "" for none of this, and for what is disabled or only unfolds something. */
function wayOf(element, classes) {
  const text = collapse(textContent(element)).trim();
  if (PAGE_NUMBER.test(text)) return text;
  const isNext = attr(element, 'rel') === 'next';
  if (text.length > LONGEST_WAY && !isNext) return '';
  const around = parentNode(element);
  const isDisabled =
    hasAttr(element, 'disabled') ||
    attr(element, 'aria-disabled') === 'true' ||
    IS_DISABLED.test(classes) ||
    (around !== null && tagOf(around) === 'LI' && IS_DISABLED.test(attr(around, 'class') ?? ''));
  if (isDisabled || hasAttr(element, 'aria-expanded')) return '';
  const label = attr(element, 'aria-label') ?? attr(element, 'value') ?? (text || nameOf(element));
  for (const words of new Set([collapse(label).trim(), text])) {
    const bare = words.replace(AROUND_LABEL, '');
    if (WAY_PAGE.test(bare)) return 'page';
    if (isNext || WAY_NEXT.test(bare)) return 'next';
    if (WAY_MORE.test(bare)) return 'more';
    if (WAY_ARROW.test(words)) return 'arrow';
  }
  return !text && CLASS_NEXT.test(classes) ? 'next' : '';
}

function boxAttributes(element) {
  const height = clientHeight_.call(element);
  const content = scrollHeight_.call(element);
  if (!height || content <= height + 1 || !/auto|scroll/.test(computedStyleOf(element).overflowY)) return '';
  return ` box="${isPartlyDrawn(element, content) ? 'part' : 'whole'}"`;
}

/** Whether texts are in less than half of a box: lists that draw only what is in view leave the rest empty. */
function isPartlyDrawn(box, content) {
  const elements = selectAll(box, '*');
  if (elements.length > MOST_DRAWN) return false;
  let top = Infinity;
  let bottom = -Infinity;
  for (const element of elements) {
    if (firstElementChild_.call(element) || !hasText(textContent(element))) continue;
    const rect = getBoundingClientRect_.call(element);
    if (!rect.height) continue;
    top = Math.min(top, rect.top);
    bottom = Math.max(bottom, rect.bottom);
  }
  return top < bottom && (bottom - top) * 2 < content;
}
