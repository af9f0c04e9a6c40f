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

/** The paths whose answer comes as a paper, too. */
type PaperPath = {
  [P in PathOf<'get'>]: 'application/pdf' extends AcceptOf<P> ? P : never
}[PathOf<'get'>]

/** What the service answers here, as a paper. `name`: of the file. */
export function PdfButton<P extends PaperPath>({
  path,
  request,
  name,
  label = 'PDF',
}: {
  path: P
  request: RequestOf<'get', P>
  name: string
  label?: string
}): ReactNode {
  const save = async (): Promise<void> => {
    const open = client().open as (path: string, request: object) => Promise<Response>
    const language = paperLanguage(path)
    const query = {
      ...(request as { query?: object }).query,
      ...(language === undefined ? {} : { language }),
    }
    const response = await open(path, { ...request, query, accept: 'application/pdf' })
    saveBlob(name, 'pdf', await response.blob())
  }
  return (
    <SaveButton
      label={label}
      title={t('Download as PDF: {{name}}', { name: lowered(name) })}
      save={save}
    />
  )
}
