/**
 * Traces by OpenTelemetry, sent as JSON over HTTP to a collector. Loaded only where a collector is
 * named: without it neither memory nor time is spent.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import {
  diag,
  DiagLogLevel,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
} from '@opentelemetry/api'
import type { Context, Span } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import { ApiError } from './core/errors.ts'
import type { SpanStart, Tracing } from './core/tracing.ts'
import { VERSION } from './core/version.ts'
import type { TracesSettings } from './environment.ts'

const TRACE_PARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/
const NOTHING = /^0+$/
const HEX = 16
/** The end of the process does not wait longer for a collector that is away. */
const CLOSE_MILLISECONDS = 5_000

type Options = TracesSettings & {
  role: string
  log: { warn(fields: object, message: string): void }
}

/** `close` sends what is left. */
export type Traces = Tracing & { close(): Promise<void> }

export function openTraces({ endpoint, share, service, role, log }: Options): Traces {
  const say = (message: string): void => {
    log.warn({ reason: message }, 'traces are not sent')
  }
  const silent = (): void => undefined
  const logger = { error: say, warn: say, info: silent, debug: silent, verbose: silent }
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true })
  const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/+$/, '')}/v1/traces` })
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.name': service,
      'service.version': VERSION,
      'kontor.role': role,
    }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(share) }),
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  })
  return { ...tracingBy(provider), close: () => closeInTime(provider) }
}

function tracingBy(provider: TracerProvider): Tracing {
  const tracer = provider.getTracer('kontor', VERSION)
  const contexts = new AsyncLocalStorage<Context>()
  const open = ({ name, kind, attributes = {} }: SpanStart, parent: Context): Span =>
    tracer.startSpan(
      name,
      { kind: kind === undefined ? SpanKind.INTERNAL : SpanKind[kind], attributes },
      parent,
    )
  return {
    during<T>(start: SpanStart, work: () => T): T {
      const parent = contexts.getStore() ?? ROOT_CONTEXT
      const span = open(start, parent)
      const answer = contexts.run(trace.setSpan(parent, span), work)
      if (answer instanceof Promise)
        answer.then(
          () => {
            span.end()
          },
          (error: unknown) => {
            endFailed(span, { 'error.type': kindOf(error) })
          },
        )
      return answer
    },
    begin(start, header) {
      const parent = parentIn(header)
      const span = open(start, parent)
      const inside = trace.setSpan(parent, span)
      return {
        run: (work) => contexts.run(inside, work),
        end(attributes, failed) {
          if (failed) return endFailed(span, attributes)
          span.setAttributes(attributes).end()
        },
      }
    },
    header() {
      const span = trace.getSpanContext(contexts.getStore() ?? ROOT_CONTEXT)
      if (span === undefined) return undefined
      const flags = span.traceFlags.toString(HEX).padStart(2, '0')
      return `00-${span.traceId}-${span.spanId}-${flags}`
    },
  }
}

/** The words of an error may name somebody; its kind does not. */
function endFailed(span: Span, attributes: NonNullable<SpanStart['attributes']>): void {
  span.setAttributes(attributes).setStatus({ code: SpanStatusCode.ERROR }).end()
}

function kindOf(error: unknown): string {
  if (error instanceof ApiError) return error.kind
  return error instanceof Error ? error.name : typeof error
}

/** Without a header that can be read, the span begins a trace of its own. */
function parentIn(header: string | undefined): Context {
  const [, traceId = '', spanId = '', flags = ''] = TRACE_PARENT.exec(header ?? '') ?? []
  if (NOTHING.test(traceId) || NOTHING.test(spanId) || flags === '') return ROOT_CONTEXT
  const traceFlags = Number.parseInt(flags, HEX) & TraceFlags.SAMPLED
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true })
}

async function closeInTime(provider: TracerProvider): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((done) => {
    timer = setTimeout(done, CLOSE_MILLISECONDS)
  })
  // What could not be sent was said by then.
  await Promise.race([provider.shutdown().catch(() => undefined), late])
  clearTimeout(timer)
}
