import { Input } from 'antd'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { Link, useSearchParams } from 'react-router'
import { useGet } from '../api/query.ts'
import { matchWords, placeOfHit, SHORTEST_SEARCH, tellingWords } from '../frame/search.ts'
import type { SearchResult } from '../frame/search.ts'
import { useNumbers } from '../parts/number-format.ts'
import { soughtText } from '../parts/sought-text.ts'
import { t } from '../language/index.ts'
import { Empty, Failure, Loading } from '../parts/states.tsx'
import { recordTitle } from '../parts/record-words.ts'
import { inWords, Status } from '../parts/status.tsx'
import { Time } from '../parts/values.tsx'

const MAXIMUM_HITS = '100'

/** Search over all records; the text is in the URL. */
export function Page(): ReactNode {
  const [params, setParams] = useSearchParams()
  const wanted = (params.get('q') ?? '').trim()
  const [typed, setTyped] = useState(wanted)
  const { data, error, refetch } = useGet(
    '/search',
    { query: { q: soughtText(wanted, useNumbers()), limit: MAXIMUM_HITS } },
    { enabled: wanted.length >= SHORTEST_SEARCH },
  )
  return (
    <section className="page" aria-label={t('Search')}>
      <header className="page-head">
        <h1>{t('Search')}</h1>
        {data !== undefined && (
          <span className="count" role="status">
            {data.length === Number(MAXIMUM_HITS)
              ? t('Best {{count}} results', { count: data.length })
              : t('{{count}} results', { count: data.length })}
          </span>
        )}
      </header>
      <div role="search">
        <Input.Search
          autoFocus
          allowClear
          aria-label={t('Search')}
          placeholder={t('Id, reference, address, transaction hash, IBAN, amount, name …')}
          value={typed}
          onChange={(event) => {
            setTyped(event.target.value)
          }}
          onSearch={(text) => {
            setParams(text.trim() === '' ? {} : { q: text.trim() })
          }}
        />
      </div>
      {error !== null && <Failure error={error} again={refetch} />}
      {wanted.length < SHORTEST_SEARCH && (
        <Empty title={t('Enter at least two characters')}>
          {t(
            'You can search for ids, references, addresses, transaction hashes, IBANs, ' +
              'amounts and names.',
          )}
        </Empty>
      )}
      {wanted.length >= SHORTEST_SEARCH && data === undefined && error === null && <Loading />}
      {data !== undefined && data.length === 0 && (
        <Empty title={t('No results for “{{wanted}}”', { wanted })}>
          {t('Search covers what your roles may see. For ids and addresses, enter the beginning.')}
        </Empty>
      )}
      {data !== undefined && data.length > 0 && (
        <ul className="results" aria-label={t('Results')}>
          {data.map((hit) => (
            <li key={`${hit.kind} ${hit.id}`}>
              <Result hit={hit} />
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

function Result({ hit }: { hit: SearchResult }): ReactNode {
  const told = tellingWords(hit)
  const words = [...(told.length > 0 ? told : [hit.subtitle]), matchWords(hit)].filter(
    (part) => part !== null && part !== '',
  )
  const inside = (
    <>
      <span className="soft">{inWords(hit.kind)}</span>
      <span>
        {recordTitle(hit.kind, hit.title)} {hit.state !== null && <Status state={hit.state} />}
      </span>
      <Time at={hit.at} short />
      {words.length > 0 && <span className="found-in">{words.join(' · ')}</span>}
    </>
  )
  const to = placeOfHit(hit)
  return to === undefined ? <a aria-disabled="true">{inside}</a> : <Link to={to}>{inside}</Link>
}
