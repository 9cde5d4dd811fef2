/**
 * Which suspended agents wait for what and how they come to go on: an index on the blackboard that
 * is looked into when something happens, and by a slow sweep. Nothing of it is held in memory. Also
 * where an agent that is about to go on had better live, and the pages that agents are bound to.
 * Depends on the blackboard's ports, the directory and the page table; knows no actor.
 */
package dev.colony.node.resumption;
