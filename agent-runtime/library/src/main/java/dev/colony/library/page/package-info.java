/**
 * Pages of the virtual context memory as actions of agents, what agents declare to read (a
 * scheduler of caches reads the declarations), and tools over the files of a page map: find text,
 * read lines, find where a symbol is defined and used, and what commits say of it.
 */
package dev.colony.library.page;
