/**
 * Makes hookable methods of capabilities and policies into join points: a subclass of each such
 * class, generated when one is first made, calls the agent's hooks around them. Source: the proxies
 * that Byte Buddy's documentation describes; no agent of the virtual machine is involved.
 */
package dev.colony.core.weave;
