/** What is shown in place of data, always with what to do about it. */
import { KontorError, NoAnswerError } from '@kontor/client'
import { Alert, Button, Spin } from 'antd'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { t } from '../language/index.ts'
import { plainWords, refusalWords } from './refusal-words.ts'

export function Loading({ what = t('Loading') }: { what?: string }): ReactNode {
  return (
    <div className="middle" role="status" aria-label={what}>
      <Spin delay={300} />
    </div>
  )
}

/** `children` say what to do. */
export function Empty({ title, children }: { title: string; children?: ReactNode }): ReactNode {
  return (
    <div className="middle">
      <strong>{title}</strong>
      {children !== undefined && <p>{children}</p>}
    </div>
  )
}

/** What to do about an error, by its code. */
const ADVICE: Readonly<Record<number, string>> = {
  1001: t('Log in again.'),
  1003: t('Ask an administrator for a role with this permission, or a colleague who has it.'),
  2001: t('Try again. If the error persists, send the request id to whoever runs Kontor.'),
  2003: t('The venue does not answer. Try again later, or see Desk → Venues.'),
  2004: t('Kontor is busy. Wait a moment and send it again: the same form is done only once.'),
  4004: t('The record may have been deleted, or the address is incomplete.'),
  4091: t('Close the form and start again.'),
  4092: t('Wait a moment and try again.'),
  4291: t('Wait a moment and try again.'),
}

/** `sent`: the error of a write, not of a read. */
export function errorText(
  error: unknown,
  sent = false,
): { title: string; advice: string | undefined; request_id: string | undefined } {
  if (!(error instanceof KontorError)) {
    // A page whose code cannot be fetched is a TypeError of the browser.
    if (error instanceof NoAnswerError || error instanceof TypeError)
      return {
        title: t('Kontor does not answer.'),
        advice: sent
          ? t('The outcome is not known. Send the same form again: the action is done only once.')
          : t('Retrying automatically. Nothing you typed is lost.'),
        request_id: undefined,
      }
    return {
      title: error instanceof Error ? error.message : String(error),
      advice: undefined,
      request_id: undefined,
    }
  }
  const messages = error.error_details.map((detail) => refusalWords(detail, true))
  const description = plainWords(
    error.message.replace(/^\d+ /, '').replace(`${error.error_message}: `, ''),
  )
  const title = messages.length > 0 ? messages.join('; ') : description
  return {
    title: title.charAt(0).toUpperCase() + title.slice(1),
    advice: ADVICE[error.error_code],
    request_id: error.status >= 500 ? error.request_id : undefined,
  }
}

/**
 * The request that others decide about, when the policy did not let a command pass at once. Kontor
 * keeps it: nothing is lost with the form.
 */
export function approvalOf(error: unknown): string | undefined {
  if (!(error instanceof KontorError)) return undefined
  return error.error_details.find(({ code }) => code === 'APPROVAL_REQUIRED')?.record_id
}

/** Nothing went wrong: others are asked. */
function Waits({ error, approval }: { error: unknown; approval: string }): ReactNode {
  return (
    <Alert
      type="info"
      showIcon
      role="status"
      className="failure"
      title={t('This waits for approval')}
      description={
        <>
          {errorText(error, true).title}{' '}
          <Link to={`/desk/approvals/${approval}`}>{t('Who approves it')}</Link>
        </>
      }
    />
  )
}

export function Failure({
  error,
  again,
  sent = false,
}: {
  error: unknown
  again?: () => unknown
  sent?: boolean
}): ReactNode {
  const approval = approvalOf(error)
  if (approval !== undefined) return <Waits error={error} approval={approval} />
  const { title, advice, request_id } = errorText(error, sent)
  return (
    <Alert
      type="error"
      showIcon
      role="alert"
      className="failure"
      title={title}
      description={
        <>
          {advice}
          {request_id !== undefined && (
            <small className="request-id">{t('Request {{request_id}}', { request_id })}</small>
          )}
        </>
      }
      action={
        again === undefined ? undefined : (
          <Button
            size="small"
            onClick={() => {
              again()
            }}
          >
            {t('Try again')}
          </Button>
        )
      }
    />
  )
}
