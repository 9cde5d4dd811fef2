/**
 * The page table: which pages are resident in which replica's cache, which group of pages belongs
 * to which placement unit. {@link dev.colony.vcm.table.PageTableSnapshot} is pure and immutable;
 * {@link dev.colony.vcm.table.BlackboardPageTable} publishes it over the blackboard's port.
 *
 * <p>It is a hint: an entry may lag the truth, and a wrong one costs a cache miss, never a wrong
 * answer.
 */
package dev.colony.vcm.table;
