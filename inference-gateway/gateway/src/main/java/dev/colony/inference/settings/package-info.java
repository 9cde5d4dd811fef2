/** Range checks for the settings records of this module. Pure. */
package dev.colony.inference.settings;
