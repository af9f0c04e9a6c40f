/** The command palette (Ctrl-K): pages, what can be done here, and search by anything. */
import { Input, Modal } from 'antd'
import { useEffect, useMemo, useState } from 'react'
import type { KeyboardEvent, ReactNode } from 'react'
import { useNavigate } from 'react-router'
import { useMe } from '../api/query.ts'
import { AREAS } from '../pages/index.ts'
import { errorText } from '../parts/states.tsx'
import { search, SHORTEST_SEARCH } from './search.ts'
import type { Hit } from './search.ts'
import { useShortcuts } from '../parts/shortcuts.ts'

const TYPING_MILLISECONDS = 200
const MAXIMUM_HITS = 50

type Entry = { key: string; label: string; hint: string; run(): void }

export function Palette({ close }: { close(): void }): ReactNode {
  const [text, setText] = useState('')
  /** By its key: what is found comes in above it. */
  const [chosen, setChosen] = useState<string>()
  const navigate = useNavigate()
  const permissions = useMe()?.permissions ?? []
  const shortcuts = useShortcuts()
  const { hits, says } = useSearch(text)
  const go = (to: string) => () => {
    navigate(to)?.catch(() => undefined)
  }

  const entries = useMemo((): Entry[] => {
    const pages = AREAS.flatMap((area) =>
      area.pages
        .filter((page) => permissions.includes(page.permission))
        .map((page) => ({
          key: page.path,
          label: page.label,
          hint: area.label,
          run: go(page.path),
        })),
    )
    const commands = shortcuts
      .filter((shortcut) => shortcut.group !== 'Go to')
      .map((shortcut) => ({
        key: `key ${shortcut.keys}`,
        label: shortcut.says,
        hint: shortcut.keys.replace('mod+', 'Ctrl '),
        run: () => {
          shortcut.run()
        },
      }))
    const words = text.toLowerCase().split(/\s+/)
    const fitting = [...pages, ...commands].filter(({ label, hint }) =>
      words.every((word) => `${label} ${hint}`.toLowerCase().includes(word)),
    )
    const everything =
      text.trim().length < SHORTEST_SEARCH
        ? []
        : [
            {
              key: 'search',
              label: `Everything known by “${text.trim()}”`,
              hint: 'Search',
              run: go(`/search?q=${encodeURIComponent(text.trim())}`),
            },
          ]
    return [...hits.map((hit) => ({ ...hit, run: go(hit.to) })), ...fitting]
      .slice(0, MAXIMUM_HITS)
      .concat(everything)
  }, [text, hits, shortcuts, permissions.length])

  const at = Math.max(
    0,
    entries.findIndex((entry) => entry.key === chosen),
  )
  const choose = (entry: Entry | undefined): void => {
    if (entry === undefined) return
    close()
    entry.run()
  }
  const key = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) {
      event.preventDefault()
      setChosen(entries[Math.max(0, Math.min(entries.length - 1, at + step))]?.key)
    } else if (event.key === 'Enter') choose(entries[at])
  }

  return (
    <Modal
      open
      footer={null}
      closable={false}
      onCancel={close}
      width={620}
      className="palette"
      title={<span className="hidden">Search and commands</span>}
      style={{ top: 80 }}
    >
      <Input
        autoFocus
        variant="borderless"
        size="large"
        placeholder="Search or go to …"
        aria-label="Search or go to"
        value={text}
        onChange={(event) => {
          setText(event.target.value)
          setChosen(undefined)
        }}
        onKeyDown={key}
        role="combobox"
        aria-expanded
        aria-controls="palette-entries"
        {...(entries[at] === undefined ? {} : { 'aria-activedescendant': `palette-${at}` })}
      />
      <ul id="palette-entries" role="listbox" aria-label="Found">
        {entries.map((entry, index) => (
          <li
            key={entry.key}
            id={`palette-${index}`}
            role="option"
            aria-selected={index === at}
            onMouseMove={() => {
              setChosen(entry.key)
            }}
            onClick={() => {
              choose(entry)
            }}
          >
            <span>{entry.label}</span>
            <span className="hint">{entry.hint}</span>
          </li>
        ))}
      </ul>
      {entries.length <= 1 && (
        <p className="middle" role="status">
          {says}
        </p>
      )}
    </Modal>
  )
}

type Found = { text: string; hits: readonly Hit[]; says: string }
const NOTHING_ASKED: Omit<Found, 'text'> = {
  hits: [],
  says: 'Ids, references, addresses, hashes, names and amounts can be searched by.',
}

/** Asks once the typing pauses; an older answer never replaces a newer one. */
function useSearch(text: string): Omit<Found, 'text'> {
  const [found, setFound] = useState<Found>({ text: '', ...NOTHING_ASKED })
  const wanted = text.trim()
  useEffect(() => {
    if (wanted.length < SHORTEST_SEARCH) return setFound({ text: wanted, ...NOTHING_ASKED })
    const ending = new AbortController()
    const timer = setTimeout(() => {
      const show = (hits: readonly Hit[], says = NOTHING_ASKED.says): void => {
        if (!ending.signal.aborted) setFound({ text: wanted, hits, says })
      }
      search(wanted, ending.signal).then(show, (error: unknown) => {
        show([], errorText(error).title)
      })
    }, TYPING_MILLISECONDS)
    return () => {
      clearTimeout(timer)
      ending.abort()
    }
  }, [wanted])
  return found.text === wanted ? found : { hits: found.hits, says: 'Searching …' }
}
