/** Consciousness streams: what an agent keeps of what has come and what it did, for its prompts. */
package dev.colony.agent.stream;
