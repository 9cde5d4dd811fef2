/** Agents under test: a scripted model, and loads for nodes. */
package dev.colony.testkit;
