/**
 * The tooltip of a picture. It is made of elements: the library's own texts carry styles that the
 * page's security policy refuses.
 */
export type Line = { tone?: string; name: string; value: string; note?: string }

export function tooltipOf(title: string, lines: readonly Line[]): HTMLElement {
  const box = document.createElement('div')
  box.append(part('strong', title))
  for (const { tone, name, value, note = '' } of lines) {
    const line = part('p', '')
    if (tone !== undefined) {
      const swatch = part('span', '')
      swatch.className = 'swatch'
      swatch.style.background = tone
      line.append(swatch)
    }
    const amount = part('span', value)
    amount.className = 'amount'
    line.append(part('span', name), amount)
    if (note !== '') line.append(part('small', note))
    box.append(line)
  }
  return box
}

function part(tag: 'strong' | 'p' | 'span' | 'small', text: string): HTMLElement {
  const element = document.createElement(tag)
  element.textContent = text
  return element
}
