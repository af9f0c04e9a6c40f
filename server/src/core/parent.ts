/**
 * Calls `onGone` once when the program that started this one has ended, also by kill -9: that
 * program holds our standard input open as a pipe. Does nothing for a program that was started by
 * hand (KONTOR_PARENT unset).
 */
export function exitWithParent(onGone: () => void = () => process.exit(0)): void {
  if (process.env['KONTOR_PARENT'] !== 'stdin') return
  let notified = false
  const notify = (): void => {
    if (notified) return
    notified = true
    onGone()
  }
  process.stdin.on('end', notify).on('close', notify).on('error', notify).resume()
}
