/** Reads settings within ranges, for all modules. Depends on nothing else of ours. */
package dev.colony.blackboard.settings;
