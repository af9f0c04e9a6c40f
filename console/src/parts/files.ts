/** Handing a file to the person at the browser. */

/** `name` in words; the file's name says when. */
export function saveBlob(name: string, ending: string, blob: Blob): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = `${name.toLowerCase().replaceAll(/\W+/g, '-')}-${new Date().toISOString().slice(0, 19).replaceAll(':', '')}.${ending}`
  link.click()
  URL.revokeObjectURL(link.href)
}

export function saveCsv(name: string, lines: readonly string[]): void {
  saveBlob(name, 'csv', new Blob([`${lines.join('\r\n')}\r\n`], { type: 'text/csv;charset=utf-8' }))
}
