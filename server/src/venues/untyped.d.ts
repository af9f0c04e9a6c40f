/** The parts we use of packages whose own types do not reach the compiler. */
declare module 'multicoin-address-validator' {
  const validator: {
    /** Throws for a currency it does not know. */
    validate(address: string, currency: string): boolean
  }
  export default validator
}

declare module 'sepa' {
  export type Transfer = {
    id: string
    end2endId: string
    currency: string
    amount: number
    remittanceInfo: string
    creditorName: string
    creditorIBAN: string
    creditorBIC: string
  }
  export type PaymentInformation = {
    id: string
    requestedExecutionDate: Date | null
    debtorName: string
    debtorIBAN: string
    debtorBIC: string
    createTransaction(): Transfer
    addTransaction(transfer: Transfer): void
  }
  export class Document {
    constructor(message: 'pain.001.001.09')
    grpHdr: { id: string; created: Date; initiatorName: string }
    createPaymentInfo(): PaymentInformation
    addPaymentInfo(information: PaymentInformation): void
    toString(): string
  }
}

declare module 'ssh2' {
  type Done<Value> = (error: Error | null | undefined, value: Value) => void
  export type SftpEntry = {
    filename: string
    attrs: { size?: number; mtime?: number; isDirectory(): boolean }
  }
  export type Sftp = {
    open(path: string, flags: 'r' | 'w', done: Done<Buffer>): void
    close(handle: Buffer, done: Done<void>): void
    read(
      handle: Buffer,
      into: Buffer,
      at: number,
      length: number,
      position: number,
      done: Done<number>,
    ): void
    write(
      handle: Buffer,
      from: Buffer,
      at: number,
      length: number,
      position: number,
      done: Done<void>,
    ): void
    stat(path: string, done: Done<{ size: number }>): void
    opendir(path: string, done: Done<Buffer>): void
    readdir(handle: Buffer, done: Done<SftpEntry[]>): void
    rename(from: string, to: string, done: Done<void>): void
    unlink(path: string, done: Done<void>): void
    /** Both throw where the server does not offer it. */
    ext_openssh_fsync(handle: Buffer, done: Done<void>): void
    ext_openssh_rename(from: string, to: string, done: Done<void>): void
    on(event: 'close' | 'error', listener: (error?: Error) => void): void
  }
  export type ConnectOptions = {
    host: string
    port: number
    username: string
    password?: string
    privateKey?: string
    passphrase?: string
    tryKeyboard?: boolean
    algorithms: { serverHostKey: readonly string[] }
    readyTimeout?: number
    keepaliveInterval?: number
    hostVerifier(key: Buffer): boolean
  }
  export class Client {
    on(event: 'ready' | 'close' | 'end', listener: () => void): this
    on(event: 'error', listener: (error: Error) => void): this
    on(
      event: 'keyboard-interactive',
      listener: (
        name: string,
        instructions: string,
        language: string,
        prompts: readonly unknown[],
        answer: (responses: string[]) => void,
      ) => void,
    ): this
    connect(options: ConnectOptions): this
    sftp(done: Done<Sftp>): void
    end(): this
    destroy(): this
  }
}
