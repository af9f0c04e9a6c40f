/** What is measured beside Kontor, and how one is asked. */

export type Measured = {
  /** The load, as a row of the table. */
  name: string
  /** Bookings that were made, a second. */
  rate: number
  /** What was asked for and not made, of all that was asked for. */
  failed_share: number
}

/** One load of so many seconds. */
export type Load = (seconds: number) => Promise<Measured[]>

export type Running = {
  loads: readonly Load[]
  /** Asked for once, before what counts. */
  warmUp(): Promise<void>
  end(): Promise<void>
}

export type Peer = {
  name: string
  /** Starts it on an empty folder, which is its own and removed after its end. */
  start(folder: string): Promise<Running>
}

export const ACCOUNTS = 1000

/** Loads that all peers with an HTTP interface have; both sides random, or always the same two. */
export const HTTP_LOADS = [
  { name: 'alone, random accounts', connections: 1, is_busy: false },
  { name: '64 connections, random accounts', connections: 64, is_busy: false },
  { name: '64 connections, one busy account', connections: 64, is_busy: true },
  { name: '256 connections, random accounts', connections: 256, is_busy: false },
  { name: '256 connections, one busy account', connections: 256, is_busy: true },
] as const
