/**
 * An answered question as a document: Markdown or HTML, with the lines that the answer rests on,
 * which parts of the source were read, and what it took. Pure but for {@link
 * dev.colony.cli.report.ReportFile}.
 */
package dev.colony.cli.report;
