/**
 * A document on paper: headings, facts and tables on numbered pages, as tagged PDF, so that screen
 * readers know headings from cells. Pages are kept until the last one is known, for "page 1 of 3";
 * so whoever fills a sheet limits what goes onto it.
 */
import { setImmediate as turn } from 'node:timers/promises'
import { inner, placesOf } from './columns.ts'
import type { Column, Row, RowStyle } from './columns.ts'
import { openDocument, Pen, TEXT_SIZE } from './pen.ts'
import type { Style } from './pen.ts'
import type { SheetWords } from './words.ts'

/** Whose document it is. The lines stand at its head, beside the name. */
export type Sender = {
  name: string
  lines: readonly string[]
  accent: string | undefined
  /** A PNG that was looked into. */
  logo: Buffer | undefined
}

type SheetOptions = {
  title: string
  language: string
  wide: boolean
  /** What stands at the foot of every page, before its number. */
  foot: string
  words: SheetWords
  now: number
}

type Structure = PDFKit.PDFStructureElement
const MARGIN = 44
const FOOT_HEIGHT = 24
const CELL_SIZE = 8
const CELL_PADDING = 3
/** A longer text is cut. */
const CELL_LINES = 24
const FACT_WIDTH = 130
const GREY = '#595959'
const RULE = '#bfbfbf'
const LOGO_HEIGHT = 28
const LOGO_WIDTH = 150
/** Of the page, for the address beside the name. */
const LINES_SHARE = 0.4

export class Sheet {
  readonly #document: PDFKit.PDFDocument
  readonly #pen: Pen
  readonly #options: SheetOptions
  readonly #body: Structure
  readonly #width: number
  readonly #bottom: number
  #y = MARGIN

  private constructor(document: PDFKit.PDFDocument, options: SheetOptions) {
    this.#document = document
    this.#pen = new Pen(document)
    this.#options = options
    this.#body = document.struct('Document')
    document.addStructure(this.#body)
    this.#width = document.page.width - 2 * MARGIN
    this.#bottom = document.page.height - MARGIN - FOOT_HEIGHT
  }

  static async open(options: SheetOptions): Promise<Sheet> {
    return new Sheet(await openDocument(options), options)
  }

  /** Whose document it is, and what. */
  head({ name, lines, accent, logo }: Sender, title: string): void {
    const top = this.#y
    if (logo !== undefined) this.#logo(logo, name)
    this.#paragraph('P', name, { size: 11, colour: GREY })
    this.#y = Math.max(this.#y, this.#sender(lines, top))
    this.#y += 6
    if (accent !== undefined) {
      this.#rule(this.#y, { colour: accent, width: 2 })
      this.#y += 10
    }
    this.#paragraph('H1', title, { font: 'bold', size: 16 })
    this.#y += 8
  }

  #logo(logo: Buffer, name: string): void {
    const y = this.#y
    this.#body.add(
      this.#document.struct('Figure', { alt: name }, () => {
        this.#document.image(logo, MARGIN, y, { fit: [LOGO_WIDTH, LOGO_HEIGHT] })
      }),
    )
    this.#y += LOGO_HEIGHT + 4
  }

  /** On the right, from the top on. Answers where it ends. */
  #sender(lines: readonly string[], top: number): number {
    const width = this.#width * LINES_SHARE
    const style: Style = { size: 8, colour: GREY, right: true }
    let y = top
    for (const line of lines) {
      const place = { x: MARGIN + this.#width - width, y, width }
      this.#body.add(
        this.#document.struct('P', {}, () => {
          this.#pen.write(line, place, style)
        }),
      )
      y += this.#pen.heightOf(line, width, style)
    }
    return y
  }

  heading(text: string): void {
    this.#y += 12
    // Not alone at the foot of a page.
    this.#makeRoom(70)
    this.#paragraph('H2', text, { font: 'bold', size: 11 })
    this.#y += 4
  }

  note(text: string): void {
    this.#y += 8
    this.#paragraph('P', text, { colour: GREY })
  }

  /** A name and its value a line. A fact without a value is left out. */
  async facts(facts: readonly (readonly [name: string, value: string])[]): Promise<void> {
    const rows = facts.filter(([, value]) => value !== '').map((cells) => ({ cells }))
    const widths = [FACT_WIDTH, this.#width - FACT_WIDTH]
    const table = this.#table()
    for (const { cells } of rows)
      await this.#row(table, cells, {
        columns: widths.map((width) => ({ title: '', width })),
        size: TEXT_SIZE,
        named: true,
      })
    table.end()
  }

  /** Its column titles stand on every page that it reaches. */
  async table(columns: readonly Column[], rows: Iterable<Row>): Promise<void> {
    const table = this.#table()
    this.#makeRoom(60)
    this.#titles(columns, table)
    for (const { cells, strong = false } of rows)
      await this.#row(table, cells, { columns, size: CELL_SIZE, strong, again: true })
    table.end()
  }

  /** The document in pieces. Nothing can be added afterwards. */
  async *pieces(): AsyncGenerator<Buffer> {
    this.#body.end()
    this.#feet()
    this.#document.end()
    for await (const piece of this.#document) yield piece as Buffer
  }

  #table(): Structure {
    const table = this.#document.struct('Table')
    this.#body.add(table)
    return table
  }

  #paragraph(tag: 'P' | 'H1' | 'H2', text: string, style: Style): void {
    const height = this.#pen.heightOf(text, this.#width, style)
    this.#makeRoom(height)
    const y = this.#y
    this.#body.add(
      this.#document.struct(tag, {}, () => {
        this.#pen.write(text, { x: MARGIN, y, width: this.#width }, style)
      }),
    )
    this.#y += height
  }

  /** Those on a further page only repeat the first ones. */
  #titles(columns: readonly Column[], table?: Structure): void {
    const style = (column: Column): Style => ({
      font: 'bold',
      size: CELL_SIZE,
      colour: GREY,
      ...(column.right === undefined ? {} : { right: column.right }),
    })
    const places = placesOf(columns, { x: MARGIN, y: this.#y })
    const height = Math.max(
      ...columns.map((column) => this.#pen.heightOf(column.title, inner(column), style(column))),
    )
    const write = (index: number): void => {
      const [column, place] = [columns[index], places[index]]
      if (column !== undefined && place !== undefined)
        this.#pen.write(column.title, place, style(column))
    }
    if (table === undefined) this.#decorate(() => columns.forEach((_, index) => write(index)))
    else
      this.#cells(table, columns.length, (index) => ({
        tag: 'TH',
        scope: 'Column',
        write: () => {
          write(index)
        },
      }))
    this.#y += height + CELL_PADDING
    this.#rule(this.#y)
    this.#y += CELL_PADDING
  }

  async #row(table: Structure, cells: readonly string[], how: RowStyle): Promise<void> {
    const { columns, size, strong = false, named = false, again = false } = how
    const styles = columns.map((column, index): Style => {
      const style: Style = {
        ...(strong ? { font: 'bold' } : {}),
        ...(named && index === 0 ? { colour: GREY } : {}),
        size,
        lines: CELL_LINES,
      }
      if (column.right === undefined) return style
      // An amount stands in one line, however many digits it has.
      const fitting = this.#pen.sizeFor(cells[index] ?? '', inner(column), style)
      return { ...style, right: true, size: fitting }
    })
    const height = Math.max(
      ...columns.map((column, index) =>
        this.#pen.heightOf(cells[index] ?? '', inner(column), styles[index] ?? {}),
      ),
    )
    if (this.#makeRoom(height)) {
      if (again) this.#titles(columns)
      // Others have their turn: a page takes some milliseconds.
      await turn()
    }
    const places = placesOf(columns, { x: MARGIN, y: this.#y })
    this.#cells(table, columns.length, (index) => ({
      ...(named && index === 0 ? { tag: 'TH', scope: 'Row' } : { tag: 'TD' }),
      write: () => {
        const place = places[index]
        if (place !== undefined) this.#pen.write(cells[index] ?? '', place, styles[index] ?? {})
      },
    }))
    this.#y += height + CELL_PADDING
  }

  #cells(
    table: Structure,
    count: number,
    cellAt: (index: number) => { tag: string; scope?: string; write(): void },
  ): void {
    const row = this.#document.struct('TR')
    table.add(row)
    for (let index = 0; index < count; index += 1) {
      const { tag, scope, write } = cellAt(index)
      // Which the types do not know yet.
      const options = (scope === undefined ? {} : { scope }) as object
      row.add(this.#document.struct(tag, options, write))
    }
    row.end()
  }

  /** Answers whether that began another page. */
  #makeRoom(height: number): boolean {
    if (this.#y + height <= this.#bottom) return false
    this.#document.addPage()
    this.#y = MARGIN
    return true
  }

  #feet(): void {
    const { count } = this.#document.bufferedPageRange()
    const { foot, words } = this.#options
    for (let page = 0; page < count; page += 1) {
      this.#document.switchToPage(page)
      const y = this.#document.page.height - MARGIN - 8
      const place = { x: MARGIN, y, width: this.#width }
      this.#decorate(() => {
        this.#pen.write(foot, place, { size: 7.5, colour: GREY })
        const number = words.page(page + 1, count)
        this.#pen.write(number, place, { size: 7.5, colour: GREY, right: true })
      })
    }
  }

  /** What screen readers leave out. */
  #decorate(draw: () => void): void {
    this.#document.markContent('Artifact')
    draw()
    this.#document.endMarkedContent()
  }

  #rule(y: number, { colour = RULE, width = 0.5 } = {}): void {
    this.#decorate(() => {
      this.#document
        .moveTo(MARGIN, y)
        .lineTo(MARGIN + this.#width, y)
        .lineWidth(width)
        .stroke(colour)
    })
  }
}
