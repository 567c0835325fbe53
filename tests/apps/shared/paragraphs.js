/** A paragraph for each line. */
export function paragraphs(text) {
  const holder = document.createElement('div');
  for (const line of text.split('\n')) holder.appendChild(document.createElement('p')).textContent = line;
  return holder;
}
