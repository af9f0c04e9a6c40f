/** What commands say of a wrong call, and how they read their words. */
import { resolve } from 'node:path'
import { ApiError } from './errors.ts'

/** Shown in one sentence, without a stack. */
export class UsageError extends Error {}

/** What a program says when this ends it: a sentence, or the stack of a mistake of ours. */
export function wordsOf(error: unknown): string {
  if (error instanceof UsageError || error instanceof ApiError) return error.message
  // What the system refuses names the file, or the address.
  if (error instanceof Error && 'syscall' in error) return error.message
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

/** A wrong option is a wrong call. */
export function parseArguments<T>(parse: () => T): T {
  try {
    return parse()
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

/** Relative to where the command was typed; npm runs it elsewhere. */
export const ofCaller = (path: string): string =>
  resolve(process.env['INIT_CWD'] ?? process.cwd(), path)

export function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`
}
