/** The command palette (Ctrl-K): pages, commands of this page, and search. */
import { Input, Modal } from 'antd'
import { useEffect, useMemo, useState } from 'react'
import type { KeyboardEvent, ReactNode } from 'react'
import { useNavigate } from 'react-router'
import { useMe } from '../api/query.ts'
import { t } from '../language/index.ts'
import { AREAS } from '../pages/index.ts'
import { useFocusBack } from '../parts/focus.ts'
import { HELP } from '../parts/help.ts'
import { errorText } from '../parts/states.tsx'
import { search, SHORTEST_SEARCH } from './search.ts'
import type { Hit } from './search.ts'
import { GO_TO, keyWords, useShortcuts } from '../parts/shortcuts.ts'

const TYPING_MILLISECONDS = 200
const MAXIMUM_HITS = 50

type Entry = { key: string; label: string; hint: string; run(): void }

export function Palette({ close }: { close(): void }): ReactNode {
  useFocusBack()
  const [text, setText] = useState('')
  /** By its key, because search results are inserted above it. */
  const [chosen, setChosen] = useState<string>()
  const { hits, says } = useSearch(text)
  const entries = useEntries(text, hits)
  const at = Math.max(
    0,
    entries.findIndex((entry) => entry.key === chosen),
  )
  const choose = (entry: Entry | undefined): void => {
    if (entry === undefined) return
    close()
    entry.run()
  }
  const onKeyDown = (event: KeyboardEvent): void => {
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
      title={<span className="hidden">{t('Search and commands')}</span>}
      style={{ top: 80 }}
    >
      <Input
        autoFocus
        variant="borderless"
        size="large"
        placeholder={t('Search or go to …')}
        aria-label={t('Search or go to')}
        value={text}
        onChange={(event) => {
          setText(event.target.value)
          setChosen(undefined)
        }}
        onKeyDown={onKeyDown}
        role="combobox"
        aria-expanded
        aria-controls="palette-entries"
        {...(entries[at] === undefined ? {} : { 'aria-activedescendant': `palette-${at}` })}
      />
      <EntryList entries={entries} at={at} point={setChosen} choose={choose} />
      {entries.length <= 1 && (
        <p className="middle" role="status">
          {says}
        </p>
      )}
    </Modal>
  )
}

function EntryList({
  entries,
  at,
  point,
  choose,
}: {
  entries: readonly Entry[]
  at: number
  point(key: string): void
  choose(entry: Entry): void
}): ReactNode {
  return (
    <ul id="palette-entries" role="listbox" aria-label={t('Results')}>
      {entries.map((entry, index) => (
        <li
          key={entry.key}
          id={`palette-${index}`}
          role="option"
          aria-selected={index === at}
          onMouseMove={() => {
            point(entry.key)
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
  )
}

/** Search results first, then the pages and commands that match, then the search page. */
function useEntries(text: string, hits: readonly Hit[]): readonly Entry[] {
  const navigate = useNavigate()
  const permissions = useMe()?.permissions ?? []
  const shortcuts = useShortcuts()
  return useMemo(() => {
    const go = (to: string) => () => {
      navigate(to)?.catch(() => undefined)
    }
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
    const help = HELP.map(({ key, title }) => ({
      key: `help ${key}`,
      label: title,
      hint: t('Help'),
      run: go(`/help#${key}`),
    }))
    const commands = shortcuts
      .filter((shortcut) => shortcut.group !== GO_TO)
      .map((shortcut) => ({
        key: `key ${shortcut.keys}`,
        label: shortcut.says,
        hint: keyWords(shortcut.keys),
        run: () => {
          shortcut.run()
        },
      }))
    const words = text.toLowerCase().split(/\s+/)
    const matching = [...pages, ...help, ...commands].filter(({ label, hint }) =>
      words.every((word) => `${label} ${hint}`.toLowerCase().includes(word)),
    )
    const wanted = text.trim()
    const searchPage = {
      key: 'search',
      label: t('Search everything for “{{wanted}}”', { wanted }),
      hint: t('Search'),
      run: go(`/search?q=${encodeURIComponent(wanted)}`),
    }
    return [...hits.map((hit) => ({ ...hit, run: go(hit.to) })), ...matching]
      .slice(0, MAXIMUM_HITS)
      .concat(wanted.length < SHORTEST_SEARCH ? [] : [searchPage])
  }, [text, hits, shortcuts, permissions.length])
}

type SearchAnswer = { text: string; hits: readonly Hit[]; says: string }
const NO_SEARCH: Omit<SearchAnswer, 'text'> = {
  hits: [],
  says: t('Search by id, reference, address, hash, name or amount.'),
}

/** Searches when typing pauses. An older answer never replaces a newer one. */
function useSearch(text: string): Omit<SearchAnswer, 'text'> {
  const [found, setFound] = useState<SearchAnswer>({ text: '', ...NO_SEARCH })
  const wanted = text.trim()
  useEffect(() => {
    if (wanted.length < SHORTEST_SEARCH) return setFound({ text: wanted, ...NO_SEARCH })
    const ending = new AbortController()
    const timer = setTimeout(() => {
      const show = (hits: readonly Hit[], says = NO_SEARCH.says): void => {
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
  return found.text === wanted ? found : { hits: found.hits, says: t('Searching …') }
}
