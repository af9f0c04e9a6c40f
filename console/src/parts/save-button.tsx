/** A button that downloads a file. */
import { DownloadOutlined } from '@ant-design/icons'
import type { AcceptOf, PathOf, RequestOf } from '@kontor/client'
import { App, Button, Tooltip } from 'antd'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { client } from '../api/session.ts'
import { lowered, t } from '../language/index.ts'
import { saveBlob } from './files.ts'
import { errorText } from './states.tsx'
import { paperLanguage } from './paper-language.ts'

type SaveProps = { label: string; title: string; save(): Promise<void> }

export function SaveButton({ label, title, save }: SaveProps): ReactNode {
  const [busy, setBusy] = useState(false)
  const { message } = App.useApp()
  const run = async (): Promise<void> => {
    setBusy(true)
    try {
      await save()
    } catch (error) {
      message.error(errorText(error).title)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Tooltip title={title}>
      <Button
        size="small"
        aria-label={label}
        loading={busy}
        icon={<DownloadOutlined />}
        onClick={() => {
          run().catch(() => undefined)
        }}
      >
        {label}
      </Button>
    </Tooltip>
  )
}

/** The paths whose answer comes in this form, too. */
type PaperPath<Form extends string> = {
  [P in PathOf<'get'>]: Form extends AcceptOf<P> ? P : never
}[PathOf<'get'>]

type PaperProps<P extends PathOf<'get'>> = {
  path: P
  request: RequestOf<'get', P>
  /** Of the file. */
  name: string
}

/** What the service answers here, as a paper. */
export function PdfButton<P extends PaperPath<'application/pdf'>>({
  label = 'PDF',
  ...paper
}: PaperProps<P> & { label?: string }): ReactNode {
  return (
    <SaveButton
      label={label}
      title={t(
        'Download as PDF: {{name}}. Its times are in the zone of the customer, or of the mails; ' +
          'it stands at the foot of each page.',
        { name: lowered(paper.name) },
      )}
      save={() => savePaper(paper, 'pdf')}
    />
  )
}

/** The same for programs, as banks write it. */
export function CamtButton<P extends PaperPath<'application/xml'>>({
  label = 'camt.053',
  ...paper
}: PaperProps<P> & { label?: string }): ReactNode {
  return (
    <SaveButton
      label={label}
      title={t('Download as camt.053, for currencies only: {{name}}', {
        name: lowered(paper.name),
      })}
      save={() => savePaper(paper, 'xml')}
    />
  )
}

async function savePaper<P extends PathOf<'get'>>(
  { path, request, name }: PaperProps<P>,
  form: 'pdf' | 'xml',
): Promise<void> {
  const open = client().open as (path: string, request: object) => Promise<Response>
  const language = paperLanguage(path)
  const query = {
    ...(request as { query?: object }).query,
    ...(language === undefined ? {} : { language }),
  }
  const response = await open(path, { ...request, query, accept: `application/${form}` })
  saveBlob(name, form, await response.blob())
}
