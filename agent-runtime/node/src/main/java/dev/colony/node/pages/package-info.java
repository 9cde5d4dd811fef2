/**
 * Agents that are bound to pages live with them: who is told when pages go from the last cache, and
 * when they come into the first. Knows the page table, and nothing of actors.
 */
package dev.colony.node.pages;
