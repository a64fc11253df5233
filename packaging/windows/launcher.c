/* Starts the program: loads Python's library from _internal beside this file and lets it run start.pyc.

   Built twice: with WINDOWED for the window ("MFU Calculator.exe"), without for the command line ("mfu-gui.exe").
   PYTHON_DLL is the name of Python's library, e.g. L"python313.dll". */

#include <windows.h>
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>

typedef int(__cdecl *main_function)(int, wchar_t **);

#define TITLE L"MFU Calculator"
#define CHINESE (PRIMARYLANGID(GetUserDefaultUILanguage()) == LANG_CHINESE)

static int damaged(const wchar_t *what) {
    const wchar_t *reason = CHINESE ? L"安装已损坏，请重新安装。无法载入："
                                    : L"This installation is damaged; please install the program again. Missing: ";
    size_t size = wcslen(reason) + wcslen(what) + 1;
    wchar_t *text = malloc(size * sizeof *text);
    if (text == NULL)
        return 1;
    wcscpy(text, reason);
    wcscat(text, what);
#ifdef WINDOWED
    MessageBoxW(NULL, text, TITLE, MB_ICONERROR | MB_OK);
#else
    fwprintf(stderr, L"%ls\n", text);
#endif
    free(text);
    return 1;
}

/* The path of this file, however long; NULL when memory is short. */
static wchar_t *own_path(void) {
    for (DWORD size = 512; size <= 32768; size *= 2) {
        wchar_t *path = malloc(size * sizeof *path);
        if (path == NULL)
            return NULL;
        DWORD length = GetModuleFileNameW(NULL, path, size);
        if (length > 0 && length < size)
            return path;
        free(path);
    }
    return NULL;
}

static wchar_t *joined(const wchar_t *folder, const wchar_t *name) {
    wchar_t *path = malloc((wcslen(folder) + wcslen(name) + 2) * sizeof *path);
    if (path != NULL) {
        wcscpy(path, folder);
        wcscat(path, L"\\");
        wcscat(path, name);
    }
    return path;
}

static int launch(int count, wchar_t **words) {
    wchar_t *self = own_path();
    wchar_t *folder = self == NULL ? NULL : _wcsdup(self);
    wchar_t *last = folder == NULL ? NULL : wcsrchr(folder, L'\\');
    if (last == NULL)
        return damaged(L"memory");
    *last = L'\0';
    wchar_t *library = joined(folder, L"_internal\\" PYTHON_DLL);
    wchar_t *script = joined(folder, L"_internal\\start.pyc");
    wchar_t **arguments = malloc((size_t)(count + 4) * sizeof *arguments);
    if (library == NULL || script == NULL || arguments == NULL)
        return damaged(L"memory");

    /* Nothing is ever loaded from the folder that a scenario happens to lie in. */
    SetDllDirectoryW(L"");
    HMODULE python = LoadLibraryExW(library, NULL, LOAD_WITH_ALTERED_SEARCH_PATH);
    if (python == NULL)
        return damaged(library);
    main_function run = (main_function)(void (*)(void))GetProcAddress(python, "Py_Main");
    if (run == NULL)
        return damaged(L"Py_Main");
    if (GetFileAttributesW(script) == INVALID_FILE_ATTRIBUTES)
        return damaged(script);

    /* What is redirected into a file or a pipe is UTF-8 whatever the country; a console shows any text anyway. */
    arguments[0] = self;
    arguments[1] = L"-X";
    arguments[2] = L"utf8";
    arguments[3] = script;
    for (int i = 1; i < count; i++)
        arguments[i + 3] = words[i];
    arguments[count + 3] = NULL;
    return run(count + 3, arguments);
}

#ifdef WINDOWED
int WINAPI wWinMain(HINSTANCE instance, HINSTANCE previous, PWSTR line, int show) {
    (void)instance, (void)previous, (void)line, (void)show;
    return launch(__argc, __wargv);
}
#else
int wmain(int count, wchar_t **words) { return launch(count, words); }
#endif
