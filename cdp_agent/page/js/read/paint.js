// Painting onto a picture of the page, on a canvas that is never part of the page.

const COLOURS = ['#c2185b', '#1565c0', '#2e7d32', '#6a1b9a', '#b23c00', '#00695c', '#5d4037', '#283593'];
const LETTERS_PX = 12;
const LEAST_LETTERS_PX = 11; // of the finished picture: smaller is not read
const UNANSWERED = 'This frame does not answer: all of it is covered.';
const toDataURL_ = HTMLCanvasElement.prototype.toDataURL;

/**
 * The picture, with a box and a label around each mark and with each mask painted over.
 * @param {string} image  base64
 * @param {{width: number, marks: {label: string, boxes: Box[]}[], masks: Box[], silent: Box[], type: string,
 *   quality: number, longest: number, pixels: number}} options  width: of the picture in CSS pixels, which boxes are in;
 *   silent: of frames that do not answer; longest and pixels: the most that the finished picture may have at a side and in all
 * @returns {Promise<{data: string, width: number, height: number}>} data: base64
 */
async function paint(image, { width, marks, masks, silent, type, quality, longest, pixels }) {
  const binary = atob(image);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  const bitmap = await createImageBitmap(new Blob([bytes]));
  const shrink = Math.min(1, longest / Math.max(bitmap.width, bitmap.height), Math.sqrt(pixels / (bitmap.width * bitmap.height)));
  const canvas = createElement_.call(document, 'canvas');
  canvas.width = Math.max(1, Math.floor(bitmap.width * shrink));
  canvas.height = Math.max(1, Math.floor(bitmap.height * shrink));
  const context = canvas.getContext('2d', { willReadFrequently: true, alpha: false });
  context.imageSmoothingQuality = 'high';
  context.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  const unit = canvas.width / width;
  context.fillStyle = '#000';
  for (const { left, top, right, bottom } of [...masks, ...silent].map((box) => scaled(box, unit))) {
    context.fillRect(Math.floor(left) - 1, Math.floor(top) - 1, Math.ceil(right - left) + 3, Math.ceil(bottom - top) + 3);
  }
  for (const box of silent) saySilent(context, scaled(box, unit), unit);
  paintMarks(context, marks.map(({ label, boxes }) => ({ label, boxes: boxes.map((box) => scaled(box, unit)) })), unit);
  const url = toDataURL_.call(canvas, type, quality);
  return { data: url.slice(url.indexOf(',') + 1), width: canvas.width, height: canvas.height };
}

const createElement_ = Document.prototype.createElement;
const scaled = ({ left, top, right, bottom }, unit) => ({ left: left * unit, top: top * unit, right: right * unit, bottom: bottom * unit });
const areaOf = ({ left, top, right, bottom }) => (right - left) * (bottom - top);

/** Says in a cover why all of it is covered. */
function saySilent(context, { left, top, right, bottom }, unit) {
  const letters = setLetters(context, unit);
  context.save();
  context.beginPath();
  context.rect(left, top, right - left, bottom - top);
  context.clip();
  context.fillStyle = '#fff';
  context.fillText(UNANSWERED, Math.max(0, left) + 4 * unit, Math.max(0, top) + letters);
  context.restore();
}

/** @returns {number} how large the letters are */
function setLetters(context, unit) {
  const letters = Math.max(LEAST_LETTERS_PX, LETTERS_PX * unit);
  context.font = `bold ${letters}px Arial, "Liberation Sans", sans-serif`;
  context.textBaseline = 'middle';
  return letters;
}

function paintMarks(context, marks, unit) {
  const letters = setLetters(context, unit);
  context.lineJoin = 'round';
  const line = Math.max(1.5, 1.5 * unit);
  const ink = marks.length ? inkOf(context) : null;
  marks.forEach((mark, index) => { mark.colour = COLOURS[index % COLOURS.length]; });
  for (const { boxes, colour } of marks) for (const box of boxes) frameBox(context, box, colour, line);
  // The small ones choose their place first: the large ones have more of it.
  const placed = [];
  for (const mark of [...marks].sort((a, b) => areaOf(a.boxes[0]) - areaOf(b.boxes[0]))) {
    const size = { width: context.measureText(mark.label).width + 4 * unit, height: letters + 2 * unit };
    placed.push({ ...mark, box: labelPlace(mark, size, marks, placed, ink) });
  }
  for (const { label, colour, box } of placed) {
    context.fillStyle = '#fff';
    context.fillRect(box.left - 1, box.top - 1, box.right - box.left + 2, box.bottom - box.top + 2);
    context.fillStyle = colour;
    context.fillRect(box.left, box.top, box.right - box.left, box.bottom - box.top);
    context.fillStyle = '#fff';
    context.fillText(label, box.left + 2 * unit, (box.top + box.bottom) / 2 + 0.5);
  }
}

/** A line that is seen on any ground: white beneath. */
function frameBox(context, { left, top, right, bottom }, colour, line) {
  for (const [style, width] of [['rgba(255,255,255,0.7)', line + 2], [colour, line]]) {
    context.strokeStyle = style;
    context.lineWidth = width;
    context.strokeRect(left, top, right - left, bottom - top);
  }
}

/** The place at a corner of the mark where the label hides least: of other labels, of what is to be read, of marks. @returns {Box} */
function labelPlace(mark, { width, height }, marks, placed, ink) {
  const { left, top, right, bottom } = mark.boxes[0];
  const corners = [
    [left, top - height], [left - width, top], [right - width, top - height], [left, bottom], [right, top], [right - width, bottom],
    [left, top], [right - width, top], [right - width, bottom - height], [left, bottom - height],
  ];
  let best = null;
  let least = Infinity;
  for (let i = 0; i < corners.length; i++) {
    const x = Math.round(Math.min(Math.max(1, corners[i][0]), ink.width - width - 1));
    const y = Math.round(Math.min(Math.max(1, corners[i][1]), ink.height - height - 1));
    const box = { left: x, top: y, right: Math.round(x + width), bottom: Math.round(y + height) };
    let cost = i + 4 * ink.in(box);
    for (const other of placed) cost += 20 * shared(box, other.box);
    for (const other of marks) {
      const isAround = other !== mark && shared(other.boxes[0], mark.boxes[0]) >= areaOf(mark.boxes[0]) * 0.95;
      if (!isAround) for (const each of other.boxes) cost += shared(box, each) / 2;
      // What is small is soon hidden by its own label.
      if (other === mark) cost += (2 * width * height * shared(box, mark.boxes[0])) / areaOf(mark.boxes[0]);
    }
    if (cost < least) [best, least] = [box, cost];
  }
  return best;
}

/**
 * Where there is something to be read: how many pixels of a box differ from the one before, found in four additions
 * (https://en.wikipedia.org/wiki/Summed-area_table).
 * @returns {{width: number, height: number, in: (box: Box) => number}}
 */
function inkOf(context) {
  const { width, height } = context.canvas;
  const { data } = context.getImageData(0, 0, width, height);
  const row = width + 1;
  const sums = new Uint32Array(row * (height + 1));
  for (let y = 0; y < height; y++) {
    let sum = 0;
    let before = data[y * width * 4 + 1];
    for (let x = 0; x < width; x++) {
      const green = data[(y * width + x) * 4 + 1];
      if (green - before > VISIBLY || before - green > VISIBLY) sum++;
      before = green;
      sums[(y + 1) * row + x + 1] = sums[y * row + x + 1] + sum;
    }
  }
  const at = (x, y) => sums[Math.min(Math.max(0, y), height) * row + Math.min(Math.max(0, x), width)];
  const inside = ({ left, top, right, bottom }) => at(right, bottom) - at(left, bottom) - at(right, top) + at(left, top);
  return { width, height, in: inside };
}

const VISIBLY = 30; // of 255

/** The area of what two boxes have in common. */
function shared(a, b) {
  const width = Math.min(a.right, b.right) - Math.max(a.left, b.left);
  const height = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
  return width > 0 && height > 0 ? width * height : 0;
}
