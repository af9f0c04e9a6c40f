/** For tests: what a private stream says, message by message. */
import { WebSocket } from 'ws'
import { until } from '../testing.ts'

type Message = Record<string, unknown>

export class Listener {
  readonly socket: WebSocket
  readonly #messages: Message[] = []

  constructor(url: string) {
    this.socket = new WebSocket(url.replace('http', 'ws'))
    this.socket.on('message', (data) => {
      const text = String(data)
      this.#messages.push(text === 'pong' ? { text } : (JSON.parse(text) as Message))
    })
  }

  async say(message: object | string): Promise<void> {
    await until('the socket is open', () => this.socket.readyState === WebSocket.OPEN)
    this.socket.send(typeof message === 'string' ? message : JSON.stringify(message))
  }

  /** The first message that fits, which is then forgotten with all before it. */
  async hear(isMeant: (message: Message) => boolean): Promise<Message> {
    let found: Message | undefined
    await until('the message comes', () => {
      const place = this.#messages.findIndex(isMeant)
      if (place < 0) return false
      found = this.#messages.splice(0, place + 1).at(-1)
      return true
    })
    return found ?? {}
  }

  next(): Promise<Message> {
    return this.hear(() => true)
  }
}
