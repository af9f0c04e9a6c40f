/**
 * The right to use an exchange's credential. Only a lease gives it, so that nothing calls an
 * exchange without one.
 */

/** Nothing was sent: another process works with the venues, or may by now. */
export class NotHeld extends Error {
  override name = 'NotHeld'
}

type Lease = {
  readonly held: boolean
  onChange(hear: (held: boolean) => void): () => void
}

/** A class with private parts, so that no other object can stand for it. */
export type Credential = LeasedCredential

/** Nonces are drawn from what is reserved alone: so a later holder begins above all of them. */
export class LeasedCredential {
  readonly #lease: Lease
  #last = 0
  #reserved = 0

  constructor(lease: Lease) {
    this.#lease = lease
  }

  /** Whether this process may use it now. */
  get held(): boolean {
    return this.#lease.held
  }

  /** How many nonces are reserved. */
  get left(): number {
    return this.#reserved - this.#last
  }

  /** Throws NotHeld unless this process may use it now. Asked at each signature. */
  use(): void {
    if (!this.held) throw new NotHeld('another process works with the venues')
  }

  /** Above every earlier one, of any process. Throws NotHeld when none is reserved. */
  nonce(): number {
    this.use()
    if (this.#last >= this.#reserved) throw new NotHeld('no nonce is reserved')
    this.#last += 1
    return this.#last
  }

  /** Hears each gain and loss of the lease, until the returned function is called. */
  onChange(hear: (held: boolean) => void): () => void {
    return this.#lease.onChange(hear)
  }

  /** Those above `above` and up to `to` are this process's own. */
  reserve(above: number, to: number): void {
    this.#last = Math.max(this.#last, above)
    this.#reserved = to
  }
}
