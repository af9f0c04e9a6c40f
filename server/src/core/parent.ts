/**
 * Calls `onGone` once when the program that started this one has ended, however it ended, kill -9 included: the start
 * holds our standard input open as a pipe. Does nothing for a program started by hand (KONTOR_PARENT unset).
 */
export function exitWithParent(onGone: () => void = () => process.exit(0)): void {
  if (process.env['KONTOR_PARENT'] !== 'stdin') return
  let notified = false
  const tell = (): void => {
    if (notified) return
    notified = true
    onGone()
  }
  process.stdin.on('end', tell).on('close', tell).on('error', tell).resume()
}
