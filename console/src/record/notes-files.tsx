import { App, Button, Popconfirm } from 'antd'
import { useRef } from 'react'
import type { ReactNode } from 'react'
import type { RequestOf } from '@kontor/client'
import type { Noted, Notes } from '../api/notes.ts'
import { useMay, useMe } from '../api/query.ts'
import { client } from '../api/session.ts'
import { t } from '../language/index.ts'
import { saveAs } from '../parts/files.ts'
import { Time } from '../parts/values.tsx'
import { useNoting } from './noting.ts'

type Attached = Notes['attachments'][number]
type Upload = RequestOf<'post', '/notes/{kind}/{record_id}/attachments'>['body']

const MAXIMUM_BYTES = 5_000_000
/** By the ending of the file's name; browsers do not agree on all of them. */
const TYPES: Readonly<Record<string, Upload['media_type']>> = {
  pdf: 'application/pdf',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  txt: 'text/plain',
  csv: 'text/csv',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
}
const ENDINGS = Object.keys(TYPES)

export function FilesPart({ of, files }: { of: Noted; files: Attached[] }): ReactNode {
  const may = useMay('notes.write')
  return (
    <section aria-label={t('Files')}>
      <h3>{t('Files')}</h3>
      {files.length === 0 && <p className="explain">{t('No files yet.')}</p>}
      <ul className="files">
        {files.map((file) => (
          <FileItem key={file.id} file={file} />
        ))}
      </ul>
      {may && <UploadButton of={of} />}
    </section>
  )
}

const sizeText = (bytes: number): string => t('{{bytes}} kB', { bytes: Math.ceil(bytes / 1_000) })

function FileItem({ file }: { file: Attached }): ReactNode {
  const me = useMe()
  const { run } = useNoting()
  const { id, name, size, available, deleted_at, author_name, system_created_at } = file
  const params = { attachment_id: id }
  const download = async (): Promise<void> => {
    const path = '/attachments/{attachment_id}'
    const response = await client().open(path, { params, accept: 'application/octet-stream' })
    saveAs(name, await response.blob())
  }
  return (
    <li>
      <span>
        {available ? (
          <Button
            type="link"
            size="small"
            aria-label={t('Download {{name}}', { name })}
            onClick={() => {
              run(download).catch(() => undefined)
            }}
          >
            {name}
          </Button>
        ) : (
          <s>{name}</s>
        )}
      </span>
      <small>
        {sizeText(size)} · {author_name ?? 'somebody'} · <Time at={system_created_at} short />
        {deleted_at !== null && ' · deleted'}
      </small>
      {available && file.system_created_by === me?.user.id && (
        <Popconfirm
          title={t('Delete this file?')}
          description={t('Its content is gone then.')}
          okText={t('Delete')}
          cancelText={t('Keep it')}
          onConfirm={() => run(() => client().del('/attachments/{attachment_id}', { params }))}
        >
          <Button size="small" type="link" aria-label={t('Delete {{name}}', { name })}>
            {t('Delete')}
          </Button>
        </Popconfirm>
      )}
    </li>
  )
}

function UploadButton({ of }: { of: Noted }): ReactNode {
  const input = useRef<HTMLInputElement>(null)
  const { message } = App.useApp()
  const { busy, run } = useNoting()
  const upload = async (file: File): Promise<void> => {
    const media_type = TYPES[file.name.split('.').at(-1)?.toLowerCase() ?? '']
    if (media_type === undefined) {
      message.error(
        t('Files of this type are not taken. Possible are: {{endings}}', {
          endings: ENDINGS.join(', '),
        }),
      )
      return
    }
    if (file.size > MAXIMUM_BYTES || file.size === 0) {
      message.error(file.size === 0 ? t('The file is empty') : t('A file has at most 5 MB'))
      return
    }
    const content = await base64Of(file).catch(() => undefined)
    if (content === undefined) {
      message.error(t('The file could not be read. Was it moved or changed meanwhile?'))
      return
    }
    const body = { name: file.name, media_type, content }
    await run(() => client().post('/notes/{kind}/{record_id}/attachments', { params: of, body }))
  }
  return (
    <>
      <input
        ref={input}
        hidden
        type="file"
        aria-label={t('File to attach')}
        accept={ENDINGS.map((ending) => `.${ending}`).join()}
        onChange={({ target }) => {
          const [file] = target.files ?? []
          if (file !== undefined)
            upload(file)
              .catch(() => undefined)
              .finally(() => {
                target.value = ''
              })
        }}
      />
      <Button
        size="small"
        loading={busy}
        onClick={() => {
          input.current?.click()
        }}
      >
        {t('Attach a file')}
      </Button>
    </>
  )
}

/** A data URL has it behind its comma. */
function base64Of(file: File): Promise<string> {
  return new Promise((done, failed) => {
    const reader = new FileReader()
    reader.addEventListener('load', () => {
      done(String(reader.result).split(',')[1] ?? '')
    })
    reader.addEventListener('error', () => {
      failed(reader.error ?? new Error('the file could not be read'))
    })
    reader.readAsDataURL(file)
  })
}
