/** Which columns a list shows. */
import { TableOutlined } from '@ant-design/icons'
import { Button, Checkbox, Popover } from 'antd'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { t } from '../language/index.ts'
import type { Column } from './columns.tsx'

export function ColumnsButton<Row>({
  columns,
  shown,
  choose,
}: {
  columns: readonly Column<Row>[]
  shown: readonly string[]
  choose(columns: readonly string[] | undefined): void
}): ReactNode {
  const [open, setOpen] = useState(false)
  const boxes = (
    <div className="column-boxes">
      {columns.map(({ key, title }) => (
        <Checkbox
          key={key}
          checked={shown.includes(key)}
          onChange={({ target }) => {
            choose(
              columns
                .map((column) => column.key)
                .filter((name) => (name === key ? target.checked : shown.includes(name))),
            )
          }}
        >
          {title}
        </Checkbox>
      ))}
      <Button
        size="small"
        onClick={() => {
          choose(undefined)
        }}
      >
        {t('Reset columns')}
      </Button>
    </div>
  )
  return (
    <Popover
      trigger="click"
      placement="bottomRight"
      open={open}
      onOpenChange={setOpen}
      content={boxes}
    >
      <Button
        size="small"
        aria-label={t('Columns')}
        aria-expanded={open}
        icon={<TableOutlined />}
      />
    </Popover>
  )
}
