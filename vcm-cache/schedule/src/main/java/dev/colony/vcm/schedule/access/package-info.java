/**
 * Who may read a page, and which replica may hold it: one pure rule, which the page store and the
 * gateway both ask. After the lattice of Denning, "A Lattice Model of Secure Information Flow"
 * (CACM 1976): what is of a class flows to those that are cleared for it, or for more.
 */
package dev.colony.vcm.schedule.access;
