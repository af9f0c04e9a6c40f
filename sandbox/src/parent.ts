/** Ends the sandbox when the program that started it has ended, kill -9 included; does nothing when started by hand. */
export function exitWithParent(): void {
  if (process.env['KONTOR_PARENT'] !== 'stdin') return
  const leave = (): void => process.exit(0)
  process.stdin.on('end', leave).on('close', leave).on('error', leave).resume()
}
