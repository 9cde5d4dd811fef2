dependencies {
    api(project(":deploy"))
}
