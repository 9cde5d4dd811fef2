/** What the agents commands read, and how they print it. */
package dev.colony.deploy.agents;
