/**
 * Which suspended agents wait for what, and how they come to go on: an index on the blackboard that
 * is looked into when something happens, and by a slow sweep. Nothing of it is held in memory.
 * Depends on the blackboard's ports and the directory; knows no actor.
 */
package dev.colony.node.resumption;
