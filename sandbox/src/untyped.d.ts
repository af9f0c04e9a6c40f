/** The server's side of ssh2, which has no types of its own. */
declare module 'ssh2' {
  import type { Socket } from 'node:net'

  type Attributes = { mode: number; size: number; mtime: number; atime: number }
  type Handler = {
    OPEN: (id: number, path: string, flags: number) => void
    READ: (id: number, handle: Buffer, offset: number, length: number) => void
    WRITE: (id: number, handle: Buffer, offset: number, data: Buffer) => void
    CLOSE: (id: number, handle: Buffer) => void
    OPENDIR: (id: number, path: string) => void
    READDIR: (id: number, handle: Buffer) => void
    STAT: (id: number, path: string) => void
    LSTAT: (id: number, path: string) => void
    RENAME: (id: number, from: string, to: string) => void
    REMOVE: (id: number, path: string) => void
    REALPATH: (id: number, path: string) => void
  }
  export type ServerSftp = {
    on<Name extends keyof Handler>(name: Name, handler: Handler[Name]): ServerSftp
    status(id: number, code: number): void
    handle(id: number, handle: Buffer): void
    data(id: number, data: Buffer): void
    attrs(id: number, attributes: Attributes): void
    name(id: number, names: { filename: string; longname?: string; attrs?: Attributes }[]): void
  }
  export type Authentication = {
    method: string
    username: string
    password: string
    key: { algo: string; data: Buffer }
    blob: Buffer | undefined
    signature: Buffer | undefined
    accept(): void
    reject(methods?: string[]): void
  }
  type Session = {
    on(event: 'sftp', listener: (accept: () => ServerSftp) => void): void
  }
  export type ServerClient = {
    on(event: 'authentication', listener: (context: Authentication) => void): ServerClient
    on(event: 'session', listener: (accept: () => Session) => void): ServerClient
    on(event: 'error', listener: (error: Error) => void): ServerClient
  }
  type PublicKey = {
    type: string
    getPublicSSH(): Buffer
    verify(blob: Buffer, signature: Buffer): boolean
  }
  const ssh2: {
    Server: new (
      options: { hostKeys: string[] },
      connected: (client: ServerClient) => void,
    ) => { injectSocket(socket: Socket): void }
    utils: {
      generateKeyPairSync(type: 'ed25519'): { private: string; public: string }
      parseKey(key: string): PublicKey | Error
    }
  }
  export default ssh2
}
