/**
 * Agents as a user writes them, and programs that run them. Depends on everything; nothing depends
 * on it.
 */
package dev.colony.examples;
