/**
 * Binds sections of the configuration to records, for all modules. Depends on nothing else of ours.
 */
package dev.colony.blackboard.settings;
