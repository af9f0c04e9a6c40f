import { readAmount } from '@kontor/client'
import type { Numbers } from './number-format.ts'

/** An amount as pages show it, such as 1,000.50, is sought as the service has it. */
export function soughtText(
  text: string,
  { format, sure }: Pick<Numbers, 'format' | 'sure'>,
): string {
  if (!/[,'’\u202f]/.test(text)) return text
  const reading = readAmount(text, format, sure)
  return 'amount' in reading ? reading.amount : text
}
