/**
 * Copy-on-write branches of a page map: a session changes pages for itself, merges its changes or
 * discards them. The states and what becomes of them are pure; {@link
 * dev.colony.vcm.branch.PageBranches} keeps them on a blackboard.
 *
 * <p>Pages that no branch has written are shared, as the pages of a process are with its fork. A
 * merge compares with what the branch began from, as a three-way merge of files does, page by page.
 */
package dev.colony.vcm.branch;
