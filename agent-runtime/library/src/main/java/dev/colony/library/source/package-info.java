/**
 * Tools over the files of a page map, as actions of agents: find text, read lines, find where a
 * symbol is defined and used, and what commits say of it. The core is pure and holds the files'
 * texts; the capability around it reads pages from the store and opens git repositories.
 */
package dev.colony.library.source;
