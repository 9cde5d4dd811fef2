/** What the agents commands print. */
package dev.colony.cli.agents;
