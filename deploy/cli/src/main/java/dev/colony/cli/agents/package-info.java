/** What the agents commands say to agents, and how they print what is known of them. */
package dev.colony.cli.agents;
