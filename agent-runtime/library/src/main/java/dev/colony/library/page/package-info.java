/**
 * Pages of the virtual context memory as actions of agents, and what agents declare to read. Uses
 * the page store, the page table and the index; a scheduler of caches reads the declarations.
 */
package dev.colony.library.page;
