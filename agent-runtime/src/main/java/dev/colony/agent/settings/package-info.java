/** Reads settings within ranges, for the packages of this module. Depends on nothing else. */
package dev.colony.agent.settings;
