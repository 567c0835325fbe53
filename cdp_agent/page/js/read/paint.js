// Paints marks and masks onto a screenshot, on a canvas that is not part of the document.

const COLOURS = ['#c2185b', '#1565c0', '#2e7d32', '#6a1b9a', '#b23c00', '#00695c', '#5d4037', '#283593'];
const LABEL_FONT_PX = 12;
const LEAST_LABEL_FONT_PX = 11; // in the finished picture: smaller text is not legible
const SEEN_THROUGH = 0.55;
const FRAME_UNRESPONSIVE = 'This frame does not answer: all of it is covered.';
const toDataURL_ = HTMLCanvasElement.prototype.toDataURL;

/**
 * The picture with a box and a label for each mark, and with the masks painted over.
 * @param {string} image  base64
 * @param {{width: number, marks: {label: string, boxes: Box[]}[], masks: Box[], silent: Box[], type: string,
 *   quality: number, longest: number, pixels: number}} options  width: of the picture in CSS pixels, the unit of the
 *   boxes; silent: frames that do not respond; longest, pixels: the largest allowed side and area of the finished
 *   picture
 * @returns {Promise<{data: string, width: number, height: number}>} data: base64
 */
async function paint(image, { width, marks, masks, silent, type, quality, longest, pixels }) {
  const binary = atob(image);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  const bitmap = await createImageBitmap(new Blob([bytes]));
  const shrink = Math.min(
    1,
    longest / Math.max(bitmap.width, bitmap.height),
    Math.sqrt(pixels / (bitmap.width * bitmap.height)),
  );
  const canvas = createElement_.call(document, 'canvas');
  canvas.width = Math.max(1, Math.floor(bitmap.width * shrink));
  canvas.height = Math.max(1, Math.floor(bitmap.height * shrink));
  const context = canvas.getContext('2d', { willReadFrequently: true, alpha: false });
  context.imageSmoothingQuality = 'high';
  context.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  const unit = canvas.width / width;
  context.fillStyle = '#000';
  for (const { left, top, right, bottom } of [...masks, ...silent].map((box) => scaled(box, unit))) {
    context.fillRect(
      Math.floor(left) - 1,
      Math.floor(top) - 1,
      Math.ceil(right - left) + 3,
      Math.ceil(bottom - top) + 3,
    );
  }
  for (const box of silent) paintUnresponsive(context, scaled(box, unit), unit);
  paintMarks(
    context,
    marks.map(({ label, boxes }) => ({ label, boxes: boxes.map((box) => scaled(box, unit)) })),
    unit,
  );
  const url = toDataURL_.call(canvas, type, quality);
  return { data: url.slice(url.indexOf(',') + 1), width: canvas.width, height: canvas.height };
}

const createElement_ = Document.prototype.createElement;
const scaled = ({ left, top, right, bottom }, unit) => ({
  left: left * unit,
  top: top * unit,
  right: right * unit,
  bottom: bottom * unit,
});
const areaOf = ({ left, top, right, bottom }) => (right - left) * (bottom - top);

/** Writes onto a masked frame why all of it is masked. */
function paintUnresponsive(context, { left, top, right, bottom }, unit) {
  const fontSize = setLabelFont(context, unit);
  context.save();
  context.beginPath();
  context.rect(left, top, right - left, bottom - top);
  context.clip();
  context.fillStyle = '#fff';
  context.fillText(FRAME_UNRESPONSIVE, Math.max(0, left) + 4 * unit, Math.max(0, top) + fontSize);
  context.restore();
}

/** @returns {number} the size of the font */
function setLabelFont(context, unit) {
  const fontSize = Math.max(LEAST_LABEL_FONT_PX, LABEL_FONT_PX * unit);
  context.font = `bold ${fontSize}px Arial, "Liberation Sans", sans-serif`;
  context.textBaseline = 'middle';
  return fontSize;
}

function paintMarks(context, marks, unit) {
  const fontSize = setLabelFont(context, unit);
  context.lineJoin = 'round';
  const line = Math.max(1.5, 1.5 * unit);
  const contrastMap = marks.length ? contrastMapOf(context) : null;
  marks.forEach((mark, index) => {
    mark.colour = COLOURS[index % COLOURS.length];
  });
  for (const { boxes, colour } of marks) for (const box of boxes) strokeBox(context, box, colour, line);
  // Labels of small boxes are placed first: large boxes have more places for theirs.
  const placed = [];
  for (const mark of [...marks].sort((a, b) => areaOf(a.boxes[0]) - areaOf(b.boxes[0]))) {
    const size = { width: context.measureText(mark.label).width + 4 * unit, height: fontSize + 2 * unit };
    placed.push({ ...mark, box: labelBoxFor(mark, size, marks, placed, contrastMap) });
  }
  const covers = (box) => contrastMap.in(box) > 0 && marks.some(({ boxes }) => boxes.some((b) => overlapArea(b, box)));
  for (const { label, colour, box } of placed) {
    context.globalAlpha = covers(box) ? SEEN_THROUGH : 1; // so that what is marked is not hidden
    context.fillStyle = '#fff';
    context.fillRect(box.left - 1, box.top - 1, box.right - box.left + 2, box.bottom - box.top + 2);
    context.fillStyle = colour;
    context.fillRect(box.left, box.top, box.right - box.left, box.bottom - box.top);
    context.globalAlpha = 1;
    context.fillStyle = '#fff';
    context.fillText(label, box.left + 2 * unit, (box.top + box.bottom) / 2 + 0.5);
  }
}

/** Outlines a box with a white line below the coloured one, so that it is visible on any background. */
function strokeBox(context, { left, top, right, bottom }, colour, line) {
  for (const [style, width] of [
    ['rgba(255,255,255,0.7)', line + 2],
    [colour, line],
  ]) {
    context.strokeStyle = style;
    context.lineWidth = width;
    context.strokeRect(left, top, right - left, bottom - top);
  }
}

/**
 * The place around or inside a mark's box where its label covers least of other labels, of other marks and of the
 * page's content.
 * @returns {Box}
 */
function labelBoxFor(mark, { width, height }, marks, placed, contrastMap) {
  const { left, top, right, bottom } = mark.boxes[0];
  const corners = [
    [left, top - height],
    [left - width, top],
    [right - width, top - height],
    [left, bottom],
    [right, top],
    [right - width, bottom],
    [left, top],
    [right - width, top],
    [right - width, bottom - height],
    [left, bottom - height],
  ];
  let best = null;
  let least = Infinity;
  for (let i = 0; i < corners.length; i++) {
    const x = Math.round(Math.min(Math.max(1, corners[i][0]), contrastMap.width - width - 1));
    const y = Math.round(Math.min(Math.max(1, corners[i][1]), contrastMap.height - height - 1));
    const box = { left: x, top: y, right: Math.round(x + width), bottom: Math.round(y + height) };
    let cost = i + 4 * contrastMap.in(box);
    for (const other of placed) cost += 20 * overlapArea(box, other.box);
    for (const other of marks) {
      const isAround = other !== mark && overlapArea(other.boxes[0], mark.boxes[0]) >= areaOf(mark.boxes[0]) * 0.95;
      if (!isAround) for (const each of other.boxes) cost += overlapArea(box, each) / 2;
      // A small box is easily hidden by its own label.
      if (other === mark) cost += (2 * width * height * overlapArea(box, mark.boxes[0])) / areaOf(mark.boxes[0]);
    }
    if (cost < least) [best, least] = [box, cost];
  }
  return best;
}

/**
 * Finds content in the picture. `in(box)` counts the pixels of a box that differ from the one to their left, by four
 * additions in a summed-area table (https://en.wikipedia.org/wiki/Summed-area_table).
 * @returns {{width: number, height: number, in: (box: Box) => number}}
 */
function contrastMapOf(context) {
  const { width, height } = context.canvas;
  const { data } = context.getImageData(0, 0, width, height);
  const row = width + 1;
  const sums = new Uint32Array(row * (height + 1));
  for (let y = 0; y < height; y++) {
    let sum = 0;
    let before = data[y * width * 4 + 1];
    for (let x = 0; x < width; x++) {
      const green = data[(y * width + x) * 4 + 1];
      if (green - before > VISIBLE_DIFFERENCE || before - green > VISIBLE_DIFFERENCE) sum++;
      before = green;
      sums[(y + 1) * row + x + 1] = sums[y * row + x + 1] + sum;
    }
  }
  const at = (x, y) => sums[Math.min(Math.max(0, y), height) * row + Math.min(Math.max(0, x), width)];
  const inside = ({ left, top, right, bottom }) =>
    at(right, bottom) - at(left, bottom) - at(right, top) + at(left, top);
  return { width, height, in: inside };
}

const VISIBLE_DIFFERENCE = 30; // of 255

/** The area of the intersection of two boxes. */
function overlapArea(a, b) {
  const width = Math.min(a.right, b.right) - Math.max(a.left, b.left);
  const height = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
  return width > 0 && height > 0 ? width * height : 0;
}
