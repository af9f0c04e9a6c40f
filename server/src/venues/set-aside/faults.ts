/** Whether it lies in a movement or trade itself that it cannot be stored or booked. */
import { ApiError } from '../../core/errors.ts'
import { sqlState } from '../../store/db.ts'

/** Data that the database or the books refuse: class 22, and two constraints of class 23. */
const REFUSED_DATA = /^(22...|23502|23514)$/

/**
 * Whether this movement is to blame, however often it is tried. All else is about the moment: the
 * connection, or a row that has changed meanwhile.
 */
export function isFaultOfMovement(error: unknown): error is Error {
  if (error instanceof ApiError) return error.details.some(({ code }) => code === 'ABOVE_MAXIMUM')
  return (
    REFUSED_DATA.test(sqlState(error) ?? '') ||
    error instanceof RangeError ||
    error instanceof TypeError ||
    (error instanceof Error && error.message.startsWith('assertion failed'))
  )
}

export const notBooked = (error: Error): string => `it cannot be booked: ${error.message}`
