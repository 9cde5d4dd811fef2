/**
 * Capabilities: the extension point for what agents can do. Source: the seed's page on the agent
 * system.
 */
package dev.colony.core.capability;
