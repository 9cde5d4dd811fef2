/** What an agent produces for others: named artifacts with versions, formats and reports. */
package dev.colony.library.output;
