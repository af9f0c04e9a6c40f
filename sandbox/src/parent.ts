/**
 * Ends the sandbox when the program that started it has ended, also by kill -9. Does nothing when
 * a person started it.
 */
export function exitWithParent(): void {
  if (process.env['KONTOR_PARENT'] !== 'stdin') return
  const leave = (): void => process.exit(0)
  process.stdin.on('end', leave).on('close', leave).on('error', leave).resume()
}
