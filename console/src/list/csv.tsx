/** A list as a file: the service answers the list's query as CSV. */
import { DownloadOutlined } from '@ant-design/icons'
import type { ListPath } from '@kontor/client'
import { App, Button, Tooltip } from 'antd'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { client } from '../api/session.ts'
import { saveBlob } from '../parts/files.ts'
import { errorText } from '../parts/states.tsx'

export function CsvButton({
  path,
  params,
  query,
  name,
}: {
  path: ListPath
  params: object | undefined
  query: object
  name: string
}): ReactNode {
  const [busy, setBusy] = useState(false)
  const { message } = App.useApp()
  async function download(): Promise<void> {
    setBusy(true)
    try {
      const response = await (
        client().open as (path: string, request: object) => Promise<Response>
      )(path, { params, query, accept: 'text/csv' })
      saveBlob(name, 'csv', await response.blob())
    } catch (error) {
      message.error(errorText(error).title)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Tooltip title="Download all rows that match the filters as CSV">
      <Button
        size="small"
        loading={busy}
        icon={<DownloadOutlined />}
        onClick={() => {
          download().catch(() => undefined)
        }}
      >
        CSV
      </Button>
    </Tooltip>
  )
}
