/** Server-sent events (HTML standard, 9.2), read from a response. */

type ServerSentEvent = { id: string | undefined; event: string; data: string }

type Reading = {
  /** A stream that sends nothing for so long is dead: the reading fails. */
  silence_ms: number
  /** The service says how long to wait before coming back. */
  retry?(milliseconds: number): void
}

/** Ends with the stream. Throws when it breaks off or falls silent. */
export async function* serverSentEvents(
  body: ReadableStream<Uint8Array>,
  { silence_ms, retry }: Reading,
): AsyncGenerator<ServerSentEvent, void, undefined> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  const frames = new Frames()
  try {
    for (;;) {
      const { value, done } = await withinTime(reader, silence_ms)
      if (done) return
      const complete = frames.add(decoder.decode(value, { stream: true }))
      if (frames.retry_ms !== undefined) retry?.(frames.retry_ms)
      yield* complete
    }
  } finally {
    // The consumer may have left: the connection is closed. What broke is known already.
    reader.cancel().catch(() => undefined)
  }
}

async function withinTime(reader: ReadableStreamDefaultReader<Uint8Array>, silence_ms: number) {
  let timer: ReturnType<typeof setTimeout> | undefined
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`the stream was silent for ${silence_ms} ms`))
    }, silence_ms)
  })
  try {
    return await Promise.race([reader.read(), silence])
  } finally {
    clearTimeout(timer)
  }
}

/** Text that comes in pieces, cut anywhere. */
class Frames {
  retry_ms: number | undefined
  #rest = ''
  #id: string | undefined
  #event = ''
  #data: string[] = []

  /** The events that this piece completes. */
  add(piece: string): ServerSentEvent[] {
    const complete: ServerSentEvent[] = []
    const lines = (this.#rest + piece).split(/\r\n|\n|\r(?!$)/)
    this.#rest = lines.pop() ?? ''
    for (const line of lines) {
      if (line !== '') this.#field(line)
      else complete.push(...this.#end())
    }
    return complete
  }

  #field(line: string): void {
    const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/.exec(line) ?? []
    if (name === 'id') this.#id = value
    else if (name === 'event') this.#event = value
    else if (name === 'data') this.#data.push(value)
    else if (name === 'retry' && /^\d+$/.test(value)) this.retry_ms = Number(value)
  }

  #end(): ServerSentEvent[] {
    const [event, data] = [this.#event || 'message', this.#data]
    this.#event = ''
    this.#data = []
    return data.length === 0 ? [] : [{ id: this.#id, event, data: data.join('\n') }]
  }
}
