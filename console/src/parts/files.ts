/** Downloads made in the browser. */
import { localTime } from './local-time.ts'

/** The file is called by `name` and the time. */
export function saveBlob(name: string, ending: string, blob: Blob): void {
  const words = name.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '-')
  const time = localTime(Date.now()).replace(' ', 'T').replaceAll(':', '')
  saveAs(`${words}-${time}.${ending}`, blob)
}

/** The file has this name. */
export function saveAs(name: string, blob: Blob): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}

export function saveCsv(name: string, lines: readonly string[]): void {
  saveBlob(name, 'csv', new Blob([`${lines.join('\r\n')}\r\n`], { type: 'text/csv;charset=utf-8' }))
}
