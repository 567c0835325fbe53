"""Risks that the words on a button indicate, in English, German, French, Spanish, Portuguese, Italian, Dutch,
Norwegian, Danish, Swedish, Polish, Russian, Chinese and Japanese.

The first or the last word decides ("Delete the account", "Jetzt kaufen"). Letters of other scripts count as those that
they look like: a page may write "Pаy" with a Cyrillic letter.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Literal

RiskKind = Literal["submits", "pays", "sends", "deletes", "downloads", "uploads", "scripts", "confirms", "undeclared"]

_LONGEST = 7
"""In words. A longer text belongs to an entry or a card, not to a button."""
_WORDS: Mapping[RiskKind, str] = {
    "pays": (
        "pay buy purchase donate subscribe upgrade reserve bestellen kaufen bezahlen zahlen abonnieren spenden "
        "acheter payer comprar pagar acquista paga kopen betalen kjøp betal køb köp betala kup "
        "zapłać купить оплатить "
        "购买 支付 付款 購入 支払う 注文する"
    ),
    "deletes": (
        "delete remove erase discard destroy uninstall unsubscribe deactivate terminate revoke unpublish "
        "löschen entfernen verwerfen kündigen supprimer effacer retirer eliminar borrar quitar "
        "excluir apagar remover elimina cancella rimuovi "
        "verwijderen verwijder wissen slett fjern slet radera usuń удалить 删除 移除 削除 削除する"
    ),
    "sends": (
        "send publish tweet reply transfer withdraw invite senden absenden abschicken verschicken "
        "veröffentlichen antworten überweisen einladen envoyer publier transférer enviar publicar transferir "
        "invia pubblica verzenden versturen verstuur publiceren publiser skicka publicera wyślij opublikuj "
        "отправить опубликовать 发送 发布 提交 送信 送信する 公開する"
    ),
    "submits": (
        "submit confirm bestätigen confirmer confirmar conferma bevestigen bekreft bekræft bekräfta potwierdź "
        "подтвердить 确认 確認する"
    ),
}
_FIRST_ONLY: Mapping[str, RiskKind] = {
    "post": "sends",
    "share": "sends",
    "order": "pays",
    "sign": "submits",
    "accept": "submits",
}
_SAVING = frozenset(
    """
    save update create add change register speichern aktualisieren anlegen hinzufügen ändern enregistrer ajouter
    modifier créer guardar crear añadir cambiar salvar adicionar criar alterar salva aggiungi modifica opslaan
    toevoegen wijzigen lagre endre gem tilføj spara ändra zapisz dodaj zmień сохранить добавить изменить 保存
    添加 追加 保存する
    """.split()  # noqa: SIM905 (a list of words is easier to read as one text)
)
_PHRASES = re.compile(
    r"\b(?:place|complete|submit|confirm|finish) (?:\w+ )?(?:order|purchase|payment|booking|reservation)\b|\bbook now\b"
)
_ENDING = re.compile(
    r"\bclose (?:(?:my|your|the|this) )?account\b"
    r"|\bcancel (?:(?:my|your|the|this) )?(?:subscription|membership|plan|booking|reservation|order|account)\b"
)
_LOOKS_LIKE = str.maketrans("авекмнорстухіјѕһԁԛԝьгпαβεικνορτυχωϲ", "abekmhopctyxijshdqwbrnabeiknoptuxwc")
_SPELT_OUT = re.compile(r"(?<!\w)(?:\w[ .\-·]){3,}\w(?!\w)")
_BEFORE = ("yes", "ok", "okay", "now", "ja", "jetzt", "oui", "sí", "si", "sim", "da", "please", "i", "permanently")
_AFTER = ("now", "ahora", "maintenant", "agora", "nu", "nå", "it", "anyway")
_KINDS = {word: kind for kind, words in _WORDS.items() for word in words.split()}


def risk_in_name(name: str, *, brief: bool = False) -> RiskKind | None:
    """The risk that the name of a button indicates, None for none. `brief`, for links: only in a short name."""
    text, words = _text_and_words(name)
    if not words or len(words) > (3 if brief else _LONGEST):
        return None
    if _PHRASES.search(text):
        return "pays"
    if _ENDING.search(text):
        return "deletes"
    words = _main(words)
    return _kind(words[0]) or _FIRST_ONLY.get(words[0]) or _kind(words[-1])


def is_saving(name: str) -> bool:
    """Whether the name of a form's button says that something is kept, where it might only have been asked for."""
    words = _main(_text_and_words(name)[1])
    return 0 < len(words) <= _LONGEST and (words[0] in _SAVING or words[-1] in _SAVING)


def names_act(text: str) -> bool:
    """Whether a text has a word for an act of consequence in it, which may be meant otherwise there."""
    return any(word in _KINDS or word in _FIRST_ONLY or word in _SAVING for word in _text_and_words(text)[1])


def _text_and_words(name: str) -> tuple[str, list[str]]:
    seen = (each for each in unicodedata.normalize("NFKC", name) if unicodedata.category(each) != "Cf")
    text = "".join(seen).casefold()
    text = _SPELT_OUT.sub(lambda each: re.sub(r"[ .\-·]", "", each[0]), text)
    return text, re.findall(r"[^\W\d_]+(?:['’][^\W\d_]+)?", text)


def _main(words: list[str]) -> list[str]:
    """The words without those around the one that decides, such as in "yes, delete it"."""
    while len(words) > 1 and words[0] in _BEFORE:
        words = words[1:]
    while len(words) > 1 and words[-1] in _AFTER:
        words = words[:-1]
    return words


def _kind(word: str) -> RiskKind | None:
    return _KINDS.get(word) or _KINDS.get(word.translate(_LOOKS_LIKE))
